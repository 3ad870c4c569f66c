// The group where there is no Verilator: one row that waits for it.
#include "engine/group.hpp"

namespace isthmus::bench {

Group engine() {
    return {"engine",
            "the HyperTransport engine in gates (not built here: no Verilator 5)",
            {{"gates", [](Run& run) {
                  Row row;
                  row.claim = "the gates' figures";
                  row.waits = "Verilator 5 (tools/install-packages.sh --rtl)";
                  run.add(row);
              }}}};
}

}  // namespace isthmus::bench
