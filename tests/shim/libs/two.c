int probe(void);
int probe(void)
{
	return 2;
}
