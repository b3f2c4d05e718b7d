#include "data/safetensors.h"

#include <array>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "postrider/error.h"

namespace postrider {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

using Json = nlohmann::ordered_json;

constexpr std::size_t kAlignment = 8;                  // of the first array
constexpr std::uint64_t kLargestHeader = 100'000'000;  // bytes; the format's own limit

struct Malformed {};

struct TypeName {
  ElementType type;
  const char* name;
  std::size_t size;
};
constexpr std::array<TypeName, 3> kTypes{{{ElementType::float32, "F32", 4},
                                          {ElementType::float64, "F64", 8},
                                          {ElementType::uint32, "U32", 4}}};

const TypeName& described(ElementType type) {
  for (const TypeName& known : kTypes)
    if (known.type == type) return known;
  return kTypes[0];
}

// The number of bytes of an array, or nothing if it does not fit 64 bits.
bool byte_size(const std::vector<std::size_t>& shape, std::size_t element, std::uint64_t& out) {
  out = element;
  for (const std::size_t extent : shape) {
    if (extent != 0 && out > std::numeric_limits<std::uint64_t>::max() / extent) return false;
    out *= extent;
  }
  return true;
}

// Only what is written as a whole number is one: a conversion would take 2.5 or -1 as well.
std::vector<std::uint64_t> whole_numbers(const Json& values) {
  if (!values.is_array()) throw Malformed();
  std::vector<std::uint64_t> out;
  for (const Json& value : values) {
    if (!value.is_number_unsigned()) throw Malformed();
    out.push_back(value.get<std::uint64_t>());
  }
  return out;
}

}  // namespace

void write_safetensors(std::ostream& to, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t end = 0;
  for (const TensorView& tensor : tensors) {
    const std::uint64_t begin = end;
    end += tensor.bytes.size();
    header[tensor.name] = {{"dtype", described(tensor.type).name},
                           {"shape", tensor.shape},
                           {"data_offsets", {begin, end}}};
  }
  // Texts of users may be no UTF-8, which JSON cannot hold.
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  while (text.size() % kAlignment != 0) text += ' ';

  const std::uint64_t length = text.size();
  to.write(reinterpret_cast<const char*>(&length), sizeof length);
  to.write(text.data(), static_cast<std::streamsize>(text.size()));
  for (const TensorView& tensor : tensors)
    to.write(reinterpret_cast<const char*>(tensor.bytes.data()),
             static_cast<std::streamsize>(tensor.bytes.size()));
}

void write_safetensors(const std::string& path, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string beside = path + ".part";
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  write_safetensors(file, tensors, metadata);
  file.close();
  std::error_code trouble;
  if (file) std::filesystem::rename(beside, path, trouble);
  if (!file || trouble) {
    std::filesystem::remove(beside, trouble);
    throw FileError("cannot write " + path + ": does its folder exist, and is there space?", path);
  }
}

SafetensorsReader::SafetensorsReader(const std::string& path)
    : SafetensorsReader(std::make_unique<std::ifstream>(path, std::ios::binary), path) {}

SafetensorsReader::SafetensorsReader(std::unique_ptr<std::istream> from, const std::string& called)
    : path_(called), file_(std::move(from)) {
  if (!*file_) {
    const int code = errno;
    throw FileError("cannot open " + path_ + ": " + std::generic_category().message(code), path_,
                    code);
  }
  file_->seekg(0, std::ios::end);
  const auto total = static_cast<std::uint64_t>(file_->tellg());
  file_->seekg(0);
  std::uint64_t length = 0;
  file_->read(reinterpret_cast<char*>(&length), sizeof length);
  if (!*file_ || length > kLargestHeader || length > total - sizeof length)
    fail("it does not begin with a safetensors header; is it a model?");
  std::string text(length, ' ');
  file_->read(text.data(), static_cast<std::streamsize>(length));
  data_begin_ = sizeof length + length;
  const std::uint64_t data = total - data_begin_;

  const Json header = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) fail("its header is not a JSON object");
  for (const auto& [name, value] : header.items()) {
    try {
      if (name == "__metadata__") {
        metadata_ = value.get<std::map<std::string, std::string>>();
        continue;
      }
      Entry entry{};
      const auto type = value.at("dtype").get<std::string>();
      const TypeName* known = nullptr;
      for (const TypeName& each : kTypes)
        if (type == each.name) known = &each;
      if (known == nullptr) continue;  // an array of a type that is not ours is none of ours
      entry.type = known->type;
      entry.shape = whole_numbers(value.at("shape"));
      const std::vector<std::uint64_t> offsets = whole_numbers(value.at("data_offsets"));
      if (offsets.size() != 2) throw Malformed();
      entry.begin = offsets[0];
      entry.end = offsets[1];
      std::uint64_t expected = 0;
      if (entry.begin > entry.end || entry.end > data ||
          !byte_size(entry.shape, known->size, expected) || expected != entry.end - entry.begin)
        fail("the array " + name + " does not lie in the file as its header says");
      entries_.emplace(name, std::move(entry));
    } catch (const nlohmann::json::exception&) {
      fail("its header's entry " + name + " is malformed");
    } catch (const Malformed&) {
      fail("its header's entry " + name + " is malformed");
    }
  }
  expect_disjoint();
}

void SafetensorsReader::expect_disjoint() const {
  std::map<std::uint64_t, std::uint64_t> ends;  // by begin
  for (const auto& [name, entry] : entries_)
    if (entry.begin < entry.end && !ends.emplace(entry.begin, entry.end).second)
      fail("its arrays overlap");
  std::uint64_t last = 0;
  for (const auto& [begin, end] : ends) {
    if (begin < last) fail("its arrays overlap");
    last = end;
  }
}

void SafetensorsReader::fail(const std::string& what) const {
  throw CorruptFile("cannot read " + path_ + ": " + what);
}

const SafetensorsReader::Entry& SafetensorsReader::find(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) fail("it holds no array " + name);
  return found->second;
}

std::vector<std::size_t> SafetensorsReader::shape(const std::string& name) const {
  return find(name).shape;
}

void SafetensorsReader::read_bytes(const std::string& name, ElementType type,
                                   const std::vector<std::size_t>& shape, std::span<std::byte> to) {
  const Entry& entry = find(name);
  if (entry.type != type) fail("the array " + name + " is not " + described(type).name);
  if (entry.shape != shape || entry.end - entry.begin != to.size())
    fail("the array " + name + " has another shape than the model");
  file_->clear();
  file_->seekg(static_cast<std::streamoff>(data_begin_ + entry.begin));
  file_->read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
  if (!*file_) fail("the array " + name + " ends too early");
}

}  // namespace postrider
