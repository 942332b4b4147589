/* Text for a terminal: what reaches it is text and nothing else. */
#include "base/plain.h"

#include "base/utf8.h"
#include "check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void becomes(const char *text, const char *wanted)
{
	char copy[256];
	snprintf(copy, sizeof(copy), "%s", text);
	plain_text(copy);
	CHECK(strcmp(copy, wanted) == 0, "'%s' became '%s', not '%s'", text, copy, wanted);
}

/* Whatever the bytes are: valid UTF-8 that steers nothing, no longer than before. */
static void steers_nothing(void)
{
	char text[40], copy[40];
	srand(7);
	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)rand() % 32;
		for (size_t i = 0; i < n; i++)
			text[i] = (char)(rand() % 4 ? 0x80 + rand() % 0x80 : 1 + rand() % 0x7f);
		text[n] = 0;
		strcpy(copy, text);
		plain_text(copy);
		bool good = strlen(copy) <= n;
		uint32_t code = 0;
		for (size_t at = 0, step; good && copy[at]; at += step) {
			step = utf8_decode(copy + at, strlen(copy + at), &code);
			good = step > 0 && code >= 0x20 && !(code >= 0x7f && code < 0xa0) &&
				   !(code >= 0x202a && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
		}
		CHECK(good, "round %d", round);
	}
}

int main(void)
{
	becomes("gemm<float>", "gemm<float>");
	becomes("r\xc3\xa9sum\xc3\xa9 \xe5\x90\x8d", "r\xc3\xa9sum\xc3\xa9 \xe5\x90\x8d");
	becomes("\033[2J", "?[2J");
	becomes("a\nb\tc\rd\x7f", "a?b?c?d?");
	becomes("\x9b"
			"31m",
			"?31m");
	becomes("\xc2\x9b"
			"31m",
			"?31m");
	becomes("\xe2\x80\xae"
			"cod.exe",
			"?cod.exe");
	becomes("\xe2\x81\xa6"
			"a\xe2\x81\xa9",
			"?a?");
	becomes("\xe2\x80\x8b\xef\xbb\xbf", "??");
	becomes("\xe5\x90", "??");
	becomes("\xff\xfe", "??");
	steers_nothing();
	CHECK(plain_columns("gemm") == 4, "ASCII");
	CHECK(plain_columns("\xc3\xa9t\xc3\xa9") == 3, "Latin");
	CHECK(plain_columns("e\xcc\x81") == 1, "combining");
	CHECK(plain_columns("\xe5\x90\x8d\xe5\x89\x8d") == 4, "wide");
	CHECK(plain_head("gemm", 2) == 2 && plain_head("gemm", 9) == 4, "ASCII, its head");
	CHECK(plain_head("\xe5\x90\x8d\xe5\x89\x8d", 3) == 3, "half of a wide character is none");
	CHECK(plain_head("e\xcc\x81t", 1) == 3, "a mark stays with its letter");
	CHECK(plain_tail("gemm", 3) == 1 && plain_tail("gemm", 9) == 0, "ASCII, its tail");
	CHECK(plain_tail("\xe5\x90\x8d\xe5\x89\x8d", 3) == 3, "a wide tail");
	CHECK(plain_tail("te\xcc\x81", 1) == 1, "a letter keeps its mark");
	CHECK(plain_tail("e\xcc\x81t", 1) == 3, "a mark is not left alone");
	return finish();
}
