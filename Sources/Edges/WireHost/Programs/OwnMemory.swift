import CProcess

/// The memory of this process, where secrets are in clear.
package enum OwnMemory {
    /// From now on no core dump of this process is written, and only root reads its memory or traces it; there is no way back.
    ///
    /// Programs that are started later write no core dumps either; a new program may be traced again.
    package static func close() throws(HostError) {
        guard corewire_forbid_core_dumps() == 0 else { throw HostError.system(.memory, "core dumps") }
        guard corewire_close_memory() == 0 else { throw HostError.system(.memory, "tracing") }
    }
}
