#include "emulator/journal/journal_file.h"

#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <system_error>

#include <xxhash.h>
#include <zstd.h>

namespace troupe {
namespace {

constexpr std::size_t kFrameHead = sizeof(std::uint32_t) + sizeof(std::uint64_t);
constexpr std::size_t kBufferBytes = 1 << 20;
// The largest is the header with its plan: a trace of ten million requests takes some 100 MB. A
// length beyond it is a torn or foreign frame, not to be allocated for.
constexpr std::uint32_t kRecordBytesMax = 256U << 20;
constexpr int kCompressionLevel = 3;  // zstd's own default: 5 to 10 times smaller at 300 MB/s

template <class T>
void append_raw(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T read_raw(const std::string& from, std::size_t at) {
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return value;
}

constexpr const char* kRun = "run";

std::filesystem::path plain_path(const std::filesystem::path& directory, const std::string& stem) {
  return directory / (stem + ".journal");
}
std::filesystem::path compressed_path(const std::filesystem::path& directory,
                                      const std::string& stem) {
  return directory / (stem + ".journal.zst");
}

std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<std::string> decompress(const std::string& compressed, const std::string& where) {
  std::string plain;
  std::string chunk(ZSTD_DStreamOutSize(), '\0');
  ZSTD_DStream* stream = ZSTD_createDStream();
  ZSTD_inBuffer input{compressed.data(), compressed.size(), 0};
  std::size_t status = 1;
  while (input.pos < input.size) {
    ZSTD_outBuffer output{chunk.data(), chunk.size(), 0};
    status = ZSTD_decompressStream(stream, &output, &input);
    if (ZSTD_isError(status) != 0) break;
    plain.append(chunk.data(), output.pos);
  }
  ZSTD_freeDStream(stream);
  if (ZSTD_isError(status) != 0) {
    return fail(std::string("not a zstd file: ") + ZSTD_getErrorName(status), where);
  }
  if (status != 0) return fail("the compressed file ends before its end", where);
  return plain;
}

// Hands each whole record to `take`, until it refuses one; says what ended the reading early.
std::string parse(const std::string& bytes, const std::function<bool(std::string_view)>& take) {
  std::size_t at = 0;
  const auto at_byte = [&at](const char* what) {
    return std::string(what) + " at byte " + std::to_string(at);
  };
  while (at < bytes.size()) {
    if (bytes.size() - at < kFrameHead) return at_byte("torn record");
    const auto length = read_raw<std::uint32_t>(bytes, at);
    const auto checksum = read_raw<std::uint64_t>(bytes, at + sizeof length);
    if (length > kRecordBytesMax || bytes.size() - at - kFrameHead < length) {
      return at_byte("torn record");
    }
    const std::string_view body(bytes.data() + at + kFrameHead, length);
    if (XXH3_64bits(body.data(), length) != checksum || !take(body)) {
      return at_byte("damaged record");
    }
    at += kFrameHead + length;
  }
  return {};
}

}  // namespace

Result<JournalWriter> JournalWriter::create(const std::filesystem::path& directory,
                                            const std::string& stem) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return fail("cannot be made: " + error.message(), directory.string());
  const std::filesystem::path path = plain_path(directory, stem);
  if (std::filesystem::exists(path, error) ||
      std::filesystem::exists(compressed_path(directory, stem), error)) {
    return fail("a journal is there already", path.string());
  }
  std::ofstream file(path, std::ios::binary);
  if (!file) return fail(std::string("cannot be written: ") + std::strerror(errno), path.string());
  return JournalWriter(path, std::move(file));
}

void JournalWriter::append(const google::protobuf::Message& record) {
  const std::size_t head = buffer_.size();
  buffer_.append(kFrameHead, '\0');
  const bool serialized = record.AppendToString(&buffer_);
  const std::size_t length = buffer_.size() - head - kFrameHead;
  if (!serialized || length > kRecordBytesMax) {
    oversized_ = true;
    buffer_.resize(head);
    return;
  }
  std::string frame;
  append_raw(frame, static_cast<std::uint32_t>(length));
  append_raw(frame,
             static_cast<std::uint64_t>(XXH3_64bits(buffer_.data() + head + kFrameHead, length)));
  buffer_.replace(head, kFrameHead, frame);
  if (buffer_.size() >= kBufferBytes) flush();
}

bool JournalWriter::flush() {
  if (!failed_) {
    file_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    file_.flush();
    failed_ = !file_.good();
    if (failed_) cut_off();
  }
  if (!failed_) written_ += buffer_.size();
  buffer_.clear();
  return !failed_;
}

// A disk that fills up takes a part of what it is given: whoever reads the file shall find whole
// records, and none of a write that failed.
void JournalWriter::cut_off() {
  file_.close();
  std::error_code ignored;  // a reader stops at a torn record as well
  std::filesystem::resize_file(path_, written_, ignored);
}

Result<void> JournalWriter::close() {
  flush();
  if (file_.is_open()) file_.close();
  if (failed_ || !file_.good())
    return fail("could not be written whole: is the disk full?", path_.string());
  if (oversized_) {
    return fail(
        "is not whole: a record is larger than " + std::to_string(kRecordBytesMax >> 20) + " MiB",
        path_.string());
  }
  const std::optional<std::string> plain = read_file(path_);
  if (!plain) return fail("cannot be read back", path_.string());
  std::string compressed(ZSTD_compressBound(plain->size()), '\0');
  const std::size_t size = ZSTD_compress(compressed.data(), compressed.size(), plain->data(),
                                         plain->size(), kCompressionLevel);
  if (ZSTD_isError(size) != 0) return fail(ZSTD_getErrorName(size), path_.string());
  // Written beside and renamed: a reader prefers the compressed file, so it must be whole.
  const std::filesystem::path target = compressed_path(path_.parent_path(), path_.stem().string());
  const std::filesystem::path draft = target.string() + ".part";
  std::ofstream file(draft, std::ios::binary);
  file.write(compressed.data(), static_cast<std::streamsize>(size));
  file.close();
  std::error_code error;
  if (file.good()) std::filesystem::rename(draft, target, error);
  if (!file.good() || error) {
    std::error_code ignored;  // what cannot be written may not be removable either
    std::filesystem::remove(draft, ignored);
    return fail("could not be written whole: is the disk full?", target.string());
  }
  std::filesystem::remove(path_, error);
  if (error) return fail("cannot be removed: " + error.message(), path_.string());
  return {};
}

Result<void> discard_journal(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::remove(plain_path(directory, kRun), error);
  if (error)
    return fail("cannot be removed: " + error.message(), plain_path(directory, kRun).string());
  return {};
}

Result<std::string> read_records(const std::filesystem::path& directory, const std::string& stem,
                                 const std::function<bool(std::string_view)>& take) {
  const std::filesystem::path packed = compressed_path(directory, stem);
  if (const auto compressed = read_file(packed)) {
    const Result<std::string> plain = decompress(*compressed, packed.string());
    if (!plain) return tl::unexpected(plain.error());
    return parse(*plain, take);
  }
  if (const auto plain = read_file(plain_path(directory, stem))) return parse(*plain, take);
  return fail("no journal: expected " + stem + ".journal.zst or " + stem + ".journal",
              directory.string());
}

Result<JournalContent> read_journal(const std::filesystem::path& directory) {
  JournalContent content;
  Result<std::string> damage = read_records(directory, kRun, [&content](std::string_view body) {
    journal::Record record;
    if (!record.ParseFromArray(body.data(), static_cast<int>(body.size()))) return false;
    content.records.push_back(std::move(record));
    return true;
  });
  if (!damage) return tl::unexpected(damage.error());
  content.damage = *std::move(damage);
  return content;
}

}  // namespace troupe
