#pragma once
// Passes everything on to another transport and writes both directions down as a transcript
// (tests/transcripts/README.md), so that a session seen in the field becomes a test.

#include <string>
#include <string_view>

#include "base/log.h"
#include "base/unique_fd.h"
#include "rpc/transport.h"

namespace bashcell::rpc {

// Created or appended to, mode 0600: it holds the scripts and their output.
base::Result<base::UniqueFd> open_recording(const std::string& path);

class RecordingTransport final : public Transport {
 public:
  // `inner` must outlive this. A file that cannot be written to is reported once, and the session goes on unrecorded.
  RecordingTransport(Transport& inner, base::UniqueFd file, base::Log log);

  void start(TransportEvents events) override;
  void send(std::string_view line) override;
  size_t unsent() const override { return inner_.unsent(); }

 private:
  void received(std::string_view line);
  void write(std::string_view line);

  Transport& inner_;
  base::UniqueFd file_;
  base::Log log_;
};

}  // namespace bashcell::rpc
