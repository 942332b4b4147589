#include "page/page_words.h"

#include "conclude/time_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int page_words_put(struct json *json, const char *key, const struct page_lines *lines)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	if (!memory)
		return -ENOMEM;
	lines->print(lines->of, lines->i, memory);
	const int error = fclose(memory) != 0 ? -ENOMEM : 0;
	if (!error) {
		while (bytes > 0 && text[bytes - 1] == '\n')
			text[--bytes] = 0;
		json_text(json, key, text + strspn(text, " "));
	}
	free(text);
	return error;
}

int page_words_tree(const void *of, FILE *out)
{
	static const char *const levels[] = {
		[TIME_HEAD] = "head", [TIME_ROW] = "row", [TIME_PART] = "part"};
	struct json json = {.out = out}, *j = &json;
	(void)of;
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.tree/0");
	json_array(j, "rows");
	for (int i = 0; i < TIME_ROWS; i++) {
		json_object(j, NULL);
		json_text(j, "label", time_tree[i].label);
		json_text(j, "level", levels[time_tree[i].level]);
		json_array(j, "leaves");
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
			if (time_tree[i].leaves & LEAF_BIT(leaf))
				json_text(j, NULL, leaf_name((enum leaf)leaf));
		json_end_array(j);
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
	return 0;
}
