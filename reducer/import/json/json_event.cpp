/* The one file in C++. API of simdjson 1.0 to 3.x only; no exceptions, no allocation per event. */
#define SIMDJSON_EXCEPTIONS 0

#include "import/json/json_event.h"

extern "C" {
#include "import/json/json_walk.h"
}

#include <cerrno>
#include <cstring>
#include <new>
#include <simdjson.h>
#include <string_view>
#include <utility>

namespace ondemand = simdjson::ondemand;

static_assert(JSON_EVENT_PADDING >= simdjson::SIMDJSON_PADDING, "padding behind an event");

enum { KEY_LENGTHS = 64, NO_KEY = -1 };

struct json_event_reader {
	ondemand::parser parser;
	const struct json_key *keys;
	size_t n;
	int16_t first[KEY_LENGTHS]; /* by length of the name: a key of the table */
	int16_t *next;              /* per key: another one of the same length */
	char *mended;               /* a copy of an event that had to be */
	size_t mended_room;
};

namespace
{

int find_key(const json_event_reader *reader, std::string_view name, bool in_args)
{
	if (name.size() >= KEY_LENGTHS)
		return NO_KEY;
	int i = reader->first[name.size()];
	while (i != NO_KEY && (reader->keys[i].in_args != in_args ||
						   std::memcmp(reader->keys[i].name, name.data(), name.size()) != 0))
		i = reader->next[i];
	return i;
}

/* The name of a key: up to its closing quote. The text ends with a bracket, so there is one. */
std::string_view key_name(const char *raw, const char *end)
{
	const char *at = raw;
	while (at < end && *at != '"')
		at += *at == '\\' ? 2 : 1;
	return at < end ? std::string_view(raw, size_t(at - raw)) : std::string_view();
}

bool is_number(std::string_view t)
{
	size_t i = t[0] == '-';
	if (i == t.size() || t[i] < '0' || t[i] > '9')
		return false;
	for (; i < t.size(); i++)
		if (!(t[i] >= '0' && t[i] <= '9') && !std::strchr(".eE+-", t[i]))
			return false;
	return true;
}

/* The words of JSON, and those that C printf and Python put there. */
bool is_word(std::string_view t)
{
	static const char *const words[] = {"null",      "true", "false", "NaN",  "Infinity",
										"-Infinity", "nan",  "inf",   "-nan", "-inf"};
	for (const char *word : words)
		if (t == word)
			return true;
	return false;
}

/* The kind and extent of a value that begins with this token; false: it is not one. */
bool take_apart(std::string_view token, const char *end, json_text *text)
{
	while (!token.empty() && json_is_space(token.back()))
		token.remove_suffix(1);
	if (token.empty())
		return false;
	text->at = token.data();
	text->bytes = uint32_t(token.size());
	if (token[0] == '"') {
		text->kind = JSON_STRING;
		text->at++;
		text->bytes -= 2;
		return token.size() >= 2 && token.back() == '"';
	}
	if (token[0] == '{' || token[0] == '[') {
		json_walk walk = {};
		const char *at = text->at;
		text->kind = JSON_NESTED;
		if (json_walk_value(&walk, at, &at, end) != JSON_WALK_DONE)
			return false;
		text->bytes = uint32_t(at - text->at);
		return true;
	}
	text->kind = is_number(token) ? JSON_NUMBER : JSON_WORD;
	return text->kind == JSON_NUMBER || is_word(token);
}

bool is_scalar_ok(std::string_view token, const char *end)
{
	json_text ignored;
	return token.empty() || token[0] == '{' || token[0] == '[' || take_apart(token, end, &ignored);
}

/* One object; `args` inside it (top level only) is read too. Returns 0 or -EBADMSG. */
int read_object(json_event_reader *reader, ondemand::object object, const char *end, bool in_args,
				json_text *values)
{
	for (auto entry : object) {
		ondemand::field field;
		if (std::move(entry).get(field))
			return -EBADMSG;
		std::string_view name = key_name(field.key().raw(), end);
		ondemand::value value = field.value();
		std::string_view token = value.raw_json_token();
		int key = find_key(reader, name, in_args);
		if (key != NO_KEY) {
			if (!take_apart(token, end, &values[key]))
				return -EBADMSG;
		} else if (!in_args && name == "args" && !token.empty() && token[0] == '{') {
			ondemand::object args;
			if (value.get_object().get(args) || read_object(reader, args, end, true, values))
				return -EBADMSG;
		} else if (!is_scalar_ok(token, end)) {
			return -EBADMSG;
		}
	}
	return 0;
}

int read_once(json_event_reader *reader, const char *at, size_t bytes, json_text *values)
{
	std::memset(values, 0, reader->n * sizeof(*values));
	simdjson::padded_string_view text(at, bytes, bytes + JSON_EVENT_PADDING);
	ondemand::document document;
	simdjson::error_code error = reader->parser.iterate(text).get(document);
	if (error)
		return error == simdjson::MEMALLOC ? -ENOMEM : -EBADMSG;
	ondemand::object object;
	if (document.get_object().get(object))
		return -EBADMSG;
	return read_object(reader, object, at + bytes, false, values);
}

/* Bytes of the UTF-8 character at `at`, 0 when it is none. */
size_t character(const char *at, size_t left)
{
	unsigned char c = (unsigned char)*at;
	size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
	return n <= left && simdjson::validate_utf8(at, n) ? n : 0;
}

/* Control characters, which profilers print as they stand in a name, become spaces, and what is no
 * UTF-8 a question mark. False: there was nothing to mend. */
bool mend(char *at, size_t bytes)
{
	bool changed = false;
	for (size_t i = 0, n; i < bytes; i += n ? n : 1) {
		n = character(at + i, bytes - i);
		if (n && ((unsigned char)at[i] >= ' ' || at[i] == '\n'))
			continue;
		at[i] = n ? ' ' : '?';
		changed = true;
	}
	return changed;
}

bool reserve(json_event_reader *reader, size_t bytes)
{
	if (reader->mended_room >= bytes)
		return true;
	delete[] reader->mended;
	reader->mended = new (std::nothrow) char[bytes];
	reader->mended_room = reader->mended ? bytes : 0;
	return reader->mended != nullptr;
}

} // namespace

struct json_event_reader *json_event_new(const struct json_key *keys, size_t n)
{
	json_event_reader *reader = new (std::nothrow) json_event_reader;
	if (!reader)
		return nullptr;
	reader->keys = keys;
	reader->n = n;
	reader->mended = nullptr;
	reader->mended_room = 0;
	reader->next = new (std::nothrow) int16_t[n];
	if (!reader->next) {
		delete reader;
		return nullptr;
	}
	for (int16_t &head : reader->first)
		head = NO_KEY;
	for (size_t i = 0; i < n; i++) {
		size_t length = std::strlen(keys[i].name) % KEY_LENGTHS;
		reader->next[i] = reader->first[length];
		reader->first[length] = int16_t(i);
	}
	return reader;
}

void json_event_free(struct json_event_reader *reader)
{
	if (reader) {
		delete[] reader->next;
		delete[] reader->mended;
	}
	delete reader;
}

int json_event_read(struct json_event_reader *reader, const char *at, size_t bytes,
					struct json_text *values)
{
	int error = read_once(reader, at, bytes, values);
	if (error != -EBADMSG)
		return error;
	if (!reserve(reader, bytes + JSON_EVENT_PADDING))
		return -ENOMEM;
	std::memcpy(reader->mended, at, bytes);
	std::memset(reader->mended + bytes, 0, JSON_EVENT_PADDING);
	return mend(reader->mended, bytes) ? read_once(reader, reader->mended, bytes, values) : error;
}
