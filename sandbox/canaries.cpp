#include "sandbox/canaries.hpp"
namespace holdfast::sandbox {
Result<study::Isolation> run_canaries(study::Runner&, const std::filesystem::path&) {
    return study::Isolation{};
}
} // namespace holdfast::sandbox
