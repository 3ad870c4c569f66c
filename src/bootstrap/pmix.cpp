#include "bootstrap/pmix.hpp"

#include <pmix.h>

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>

#include "base/module_version.hpp"

namespace isthmus::bootstrap {
namespace {

void require(pmix_status_t status, const char* call) {
    if (status != PMIX_SUCCESS)
        throw std::runtime_error(std::string(call) + ": " + PMIx_Error_string(status));
}

class Pmix final : public Exchange {
  public:
    Pmix() {
        require(PMIx_Init(&self_, nullptr, 0), "PMIx_Init");
        pmix_proc_t job = everyone();
        pmix_value_t* value = nullptr;
        require(PMIx_Get(&job, PMIX_JOB_SIZE, nullptr, 0, &value), "PMIx_Get(PMIX_JOB_SIZE)");
        size_ = static_cast<int>(value->data.uint32);
        PMIX_VALUE_RELEASE(value);
    }
    int rank() const override { return static_cast<int>(self_.rank); }
    int size() const override { return size_; }

    void share(const void* mine, std::size_t bytes, std::span<const Part> parts) override {
        const std::string key = "isthmus-" + std::to_string(shares_++);
        if (bytes != 0) {
            pmix_value_t value;
            PMIX_VALUE_CONSTRUCT(&value);
            value.type = PMIX_BYTE_OBJECT;
            value.data.bo.bytes = static_cast<char*>(const_cast<void*>(mine));
            value.data.bo.size = bytes;
            require(PMIx_Put(PMIX_GLOBAL, key.c_str(), &value), "PMIx_Put");
            require(PMIx_Commit(), "PMIx_Commit");
        }
        fence(true);
        for (const Part& part : parts)
            take(key, part);
    }
    void meet() override { fence(false); }
    std::string job_name() const override { return self_.nspace; }
    std::vector<int> host_ranks() override {
        pmix_proc_t job = everyone();
        pmix_value_t* found = nullptr;
        if (PMIx_Get(&job, PMIX_LOCAL_PEERS, nullptr, 0, &found) != PMIX_SUCCESS) return {};
        std::vector<int> ranks;
        std::istringstream words(found->type == PMIX_STRING ? found->data.string : "");
        for (std::string rank; std::getline(words, rank, ',');)
            ranks.push_back(std::atoi(rank.c_str()));
        PMIX_VALUE_RELEASE(found);
        return ranks;
    }
    void end(int status) override { PMIx_Abort(status, "", nullptr, 0); }
    void leave() override { PMIx_Finalize(nullptr, 0); }
    const char* name() const override { return "PMIx"; }

  private:
    pmix_proc_t everyone() const {
        pmix_proc_t job;
        PMIX_PROC_CONSTRUCT(&job);
        std::memcpy(job.nspace, self_.nspace, sizeof job.nspace);
        job.rank = PMIX_RANK_WILDCARD;
        return job;
    }
    void take(const std::string& key, const Part& part) const {
        pmix_proc_t who = everyone();
        who.rank = static_cast<pmix_rank_t>(part.rank);
        pmix_value_t* found = nullptr;
        const std::string call = "PMIx_Get of what PE " + std::to_string(part.rank) + " has put";
        require(PMIx_Get(&who, key.c_str(), nullptr, 0, &found), call.c_str());
        const bool fits = found->type == PMIX_BYTE_OBJECT && found->data.bo.size == part.bytes;
        if (fits) std::memcpy(part.to, found->data.bo.bytes, part.bytes);
        PMIX_VALUE_RELEASE(found);
        if (!fits)
            throw std::runtime_error("rank " + std::to_string(part.rank) +
                                     " has put something else");
    }
    void fence(bool collect) {
        pmix_proc_t job = everyone();
        pmix_info_t data;
        PMIX_INFO_CONSTRUCT(&data);
        PMIX_INFO_LOAD(&data, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
        const pmix_status_t status = PMIx_Fence(&job, 1, &data, 1);
        PMIX_INFO_DESTRUCT(&data);
        require(status, "PMIx_Fence");
    }

    pmix_proc_t self_{};
    int size_ = 0;
    unsigned shares_ = 0;
};

}  // namespace
}  // namespace isthmus::bootstrap

ISTHMUS_TELL_MODULE_VERSION

extern "C" __attribute__((visibility("default"))) isthmus::Exchange* isthmus_open_pmix() {
    return new isthmus::bootstrap::Pmix;
}
