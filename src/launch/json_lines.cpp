#include "launch/json_lines.hpp"

#include <cstddef>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

namespace isthmus::launch {
namespace {

// Nobody writes more by hand; a parser of strangers' text has a bound.
constexpr std::size_t kDeepest = 32;

// Counts lines as they are read. The reader is at most one character ahead of what it tells, so
// the line of a value is that of the character before the last.
class Characters {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Characters(const char* at, int* line) : at_(at), line_(line) {}
    reference operator*() const { return *at_; }
    Characters& operator++() {
        if (was_newline_ && line_) ++*line_;
        was_newline_ = *at_ == '\n';
        ++at_;
        return *this;
    }
    Characters operator++(int) {
        const Characters before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const Characters& one, const Characters& other) {
        return one.at_ == other.at_;
    }

  private:
    const char* at_;
    int* line_;
    bool was_newline_ = false;
};

using Kind = LinedJson::Kind;

// What the reader calls, value by value.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
  public:
    Builder(LinedJson& root, const int& line) : root_(root), line_(line) {}
    const std::string& why() const { return why_; }

    bool null() override { return add(Kind::null) != nullptr; }
    bool boolean(bool value) override {
        LinedJson* const added = add(Kind::boolean);
        if (added) added->number = value ? 1 : 0;
        return added != nullptr;
    }
    bool number_integer(number_integer_t value) override {
        LinedJson* const added = add(Kind::number);
        if (added) added->number = value;
        return added != nullptr;
    }
    bool number_unsigned(number_unsigned_t value) override {
        if (value <= static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
            return number_integer(static_cast<number_integer_t>(value));
        return add(Kind::other_number) != nullptr;
    }
    bool number_float(number_float_t, const string_t&) override {
        return add(Kind::other_number) != nullptr;
    }
    bool string(string_t& value) override {
        LinedJson* const added = add(Kind::text);
        if (added) added->text = value;
        return added != nullptr;
    }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Kind::object); }
    bool key(string_t& name) override {
        open_.back()->names.push_back(name);
        return true;
    }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(Kind::list); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t, const std::string&,
                     const nlohmann::json::exception& error) override {
        // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
        const std::string_view text = error.what();
        const std::size_t colon = text.find(": ");
        return refuse(std::string(colon == std::string_view::npos ? text : text.substr(colon + 2)));
    }

  private:
    bool refuse(const std::string& what) {
        why_ = std::to_string(line_) + ": " + what;
        return false;
    }
    LinedJson* add(Kind kind) {
        LinedJson* const place = open_.empty() ? &root_ : &open_.back()->elements.emplace_back();
        place->kind = kind;
        place->line = line_;
        return place;
    }
    bool open(Kind kind) {
        if (open_.size() == kDeepest)
            return refuse("lists and objects lie in each other more than " +
                          std::to_string(kDeepest) + " deep");
        open_.push_back(add(kind));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    LinedJson& root_;
    const int& line_;
    std::vector<LinedJson*> open_;  // none of them moves while it is the last of its parent's
    std::string why_;
};

}  // namespace

std::string parse_lined_json(std::string_view text, LinedJson& value) {
    int line = 1;
    value = LinedJson{};
    Builder builder(value, line);
    const bool read = nlohmann::json::sax_parse(
        Characters(text.data(), &line), Characters(text.data() + text.size(), nullptr), &builder);
    if (read) return "";
    return builder.why().empty() ? std::to_string(line) + ": this is no JSON" : builder.why();
}

const char* kind_name(Kind kind) {
    switch (kind) {
        case Kind::null: return "null";
        case Kind::boolean: return "true or false";
        case Kind::number: return "a whole number";
        case Kind::other_number: return "a number that is not whole, or too large";
        case Kind::text: return "a text";
        case Kind::list: return "a list";
        case Kind::object: return "an object";
    }
    return "";
}

}  // namespace isthmus::launch
