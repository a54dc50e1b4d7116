import CProcess

/// Protection of this process's memory, which holds secrets in clear text.
package enum OwnMemory {
    /// Forbids core dumps of this process, and reading or tracing it for all users but root; cannot be undone.
    ///
    /// Programs started later write no core dumps either; a new program can be traced again.
    package static func close() throws(HostError) {
        guard corewire_forbid_core_dumps() == 0 else { throw HostError.system(.memory, "core dumps") }
        guard corewire_close_memory() == 0 else { throw HostError.system(.memory, "tracing") }
    }
}
