/* JSON and text: any bytes make valid JSON, numbers read well, lines never grow beyond the screen.
 */
#include "base/plain.h"
#include "check.h"
#include "base/shell.h"
#include "render/json.h"
#include "render/readings.h"
#include "render/text.h"

#include <stdlib.h>
#include <string.h>

static void json(void)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct json j = {.out = out};
	json_object(&j, NULL);
	json_text(&j, "a\"b", "x\n\x01\xff\xc3\xa9\\\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81");
	json_array(&j, "n");
	json_number(&j, NULL, -5);
	json_known(&j, NULL, -1);
	json_end_array(&j);
	json_ratio(&j, "r", 0.0 / 0.0 * 0);
	json_end_object(&j);
	fclose(out);
	const char *expected =
		"{\"a\\\"b\":\"x\\u000a\\u0001\\ufffd\xc3\xa9\\\\\\u009b\\u202e\\udb40\\udc01\",\"n\":[-5,"
		"null],\"r\":null}";
	CHECK(strcmp(text, expected) == 0, "JSON is %s", text);
	free(text);
}

static void shell_words(void)
{
	static const char *const cases[][2] = {{"runs/4gpu", "runs/4gpu"},
										   {"a b", "'a b'"},
										   {"it's", "'it'\\''s'"},
										   {"\xc3\xbc/%h", "\xc3\xbc/%h"},
										   {"a;b", "'a;b'"},
										   {"$x", "'$x'"},
										   {"", "''"}};
	char *quotes = malloc(SHELL_WORD_BYTES);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK(strcmp(shell_word(cases[i][0]).at, cases[i][1]) == 0, "'%s' became %s", cases[i][0],
			  shell_word(cases[i][0]).at);
	memset(quotes, '\'', SHELL_WORD_BYTES - 1);
	quotes[SHELL_WORD_BYTES - 1] = 0;
	CHECK(strlen(shell_word(quotes).at) < SHELL_WORD_BYTES, "a long word is not cut");
	free(quotes);
}

static void numbers(void)
{
	struct text_buffer buffer;
	struct screen screen = {.out = stdout, .width = 40, .decimals = 1};
	CHECK(strcmp(text_thousands(1234567, &buffer), "1,234,567") == 0, "thousands: %s", buffer.at);
	CHECK(strcmp(text_thousands(-999, &buffer), "-999") == 0, "thousands: %s", buffer.at);
	/* Keeps out: the negation of the least number, which a damaged trace can have. */
	CHECK(strcmp(text_thousands(INT64_MIN, &buffer), "-9,223,372,036,854,775,808") == 0,
		  "thousands: %s", buffer.at);
	CHECK(strcmp(text_ms(&screen, 58700000, &buffer), "58.7") == 0, "ms: %s", buffer.at);
	CHECK(strcmp(text_ms(&screen, -100, &buffer), "0.0") == 0, "minus zero: %s", buffer.at);
	CHECK(strcmp(text_gain(&screen, 14500000, 14000000, 14900000, &buffer), "14.5 ms +- 0.5") == 0,
		  "gain: %s", buffer.at);
	CHECK(strcmp(text_gain(&screen, 400000, 0, 800000, &buffer), "0.4 ms (0.0 to 0.8)") == 0,
		  "a gain that may be none: %s", buffer.at);
	CHECK(strcmp(text_gain(&screen, 9000000, 8800000, 9500000, &buffer), "9.0 ms (8.8 to 9.5)") ==
			  0,
		  "a gain that is off to one side: %s", buffer.at);
	CHECK(strlen(text_cut("abcdefghijklmnopqrstuvwxyz", 10, &buffer)) == 10, "cut: %s", buffer.at);
	CHECK(strcmp(text_cut("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa9", 4, &buffer),
				 "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa9") == 0,
		  "four letters in four columns: %s", buffer.at);
	CHECK(strcmp(text_cut("\xe5\x90\x8d\xe5\x89\x8d\xe5\x90\x8d\xe5\x89\x8d", 6, &buffer),
				 "\xe5\x90\x8d..\xe5\x89\x8d") == 0,
		  "wide letters: %s", buffer.at);
	char many[401];
	memset(many, 'x', sizeof(many) - 1);
	for (int i = 0; i < 400; i += 4)
		memcpy(many + i, "\xf0\x9f\x9a\x80", 4);
	many[400] = 0;
	CHECK(plain_columns(text_cut(many, 120, &buffer)) > 30, "a long name: %s", buffer.at);
	CHECK(strlen(text_bar(7.0, &buffer)) == 60 && strlen(text_bar(-1, &buffer)) == 0,
		  "bars are bounded");
}

static void lines(void)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct screen screen = {.out = out, .width = 40};
	screen_line(&screen, "%s", "0123456789012345678901234567890123456789 and what does not fit");
	screen_paragraph(&screen, 4,
					 "words that go on and on until the line is full and then on the next");
	fclose(out);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		CHECK(strcspn(line, "\n") <= 40, "a line is wider than the screen: %.60s", line);
	free(text);
}

static void wrapped(int width, int hang, const char *text, const char *expected)
{
	char *got = NULL;
	size_t bytes;
	FILE *out = open_memstream(&got, &bytes);
	struct screen screen = {.out = out, .width = width};
	screen_wrap(&screen, hang, "%s", text);
	fclose(out);
	CHECK(strcmp(got, expected) == 0, "wrapped at %d: '%s'", width, got);
	free(got);
}

/* Nothing of a sentence is lost, and no character is torn apart. */
static void wrapping(void)
{
	wrapped(40, 4, "fits", "fits\n");
	wrapped(40, 4, "trailing  ", "trailing\n");
	wrapped(10, 2, "0123456789", "0123456789\n");
	wrapped(10, 2, "0123456 89 abcdef gh", "0123456 89\n  abcdef\n  gh\n");
	wrapped(10, 2, "0123456789abcdefghij", "0123456789\n  abcdefgh\n  ij\n");
	wrapped(10, 2, "    01234567", "    012345\n  67\n");
	wrapped(10, 9, "0123456789 abc", "0123456789\n    abc\n"); /* half of it stays for words */
	wrapped(10, 0, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6 \xc3\xbc\xc3\xa4\xc3\xb6 e",
			"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6 \xc3\xbc\xc3\xa4\xc3\xb6\ne\n");
	wrapped(40, 0, "a\x1b[31mb", "a?[31mb\n");
}

/* What one GPU is said to be slowed by, when it had these reasons in so many of 100 looks. */
static void slowed(int64_t any, int64_t power_cap, int64_t thermal, const char *expected)
{
	char *got = NULL;
	size_t bytes;
	struct reduction reduction = {.n_gaps = 0};
	struct summary *s = &reduction.summary;
	FILE *out = open_memstream(&got, &bytes);
	struct screen screen = {.out = out, .width = 100};
	summary_init(s);
	struct reading *readings = summary_device(s, "h/0")->readings;
	readings[READING_SLOWED] = (struct reading){100, any, 0, 1};
	if (power_cap)
		readings[READING_SW_POWER_CAP] = (struct reading){100, power_cap, 0, 1};
	if (thermal)
		readings[READING_SW_THERMAL] = (struct reading){100, thermal, 0, 1};
	readings_text(&screen, &(struct report){.reduction = &reduction});
	fclose(out);
	const char *line = strstr(got, "  the GPU ");
	CHECK(line && strcmp(line, expected) == 0, "'%s', not '%s'", got, expected);
	free(got);
	summary_free(s);
}

/* A reason that a summary does not name is not told of; heat is not hidden behind the power limit.
 */
static void slowed_by(void)
{
	slowed(0, 0, 0, "  the GPU   not slowed (100 samples)\n");
	slowed(50, 0, 0, "  the GPU   slowed in 50 % of 100 samples\n");
	slowed(50, 50, 0, "  the GPU   slowed in 50 % of 100 samples by SW power cap\n");
	slowed(50, 40, 0, "  the GPU   slowed in 50 % of 100 samples, in 40 % by SW power cap\n");
	slowed(
		100, 100, 9,
		"  the GPU   slowed in 100 % of 100 samples, in 9 % by SW thermal slowdown, in 100 % by SW "
		"power cap\n");
}

int main(void)
{
	wrapping();
	json();
	shell_words();
	numbers();
	lines();
	slowed_by();
	return finish();
}
