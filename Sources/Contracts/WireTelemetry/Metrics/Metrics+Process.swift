import WireBase

extension Metrics {
    /// Registers the standard process metrics; they last as long as the returned readers.
    package func process(read: @escaping @Sendable () async -> ProcessFacts?) -> [MetricReader] {
        @Sendable func one(_ pick: (ProcessFacts) -> Double?) async -> [MetricReading] {
            await read().flatMap(pick).map { [MetricReading($0)] } ?? []
        }
        return [
            counter("process_cpu_seconds", "CPU time of all threads, user and system.") {
                await one { $0.cpu.inSeconds }
            },
            gauge("process_resident_memory_bytes", "Resident memory size.") { await one { Double($0.residentBytes) } },
            gauge("process_virtual_memory_bytes", "Virtual memory size.") { await one { Double($0.virtualBytes) } },
            gauge("process_open_fds", "Open file descriptors.") { await one { Double($0.openDescriptors) } },
            gauge("process_max_fds", "Maximum number of open file descriptors.") {
                await one { $0.maximalDescriptors.map(Double.init) }
            },
            gauge("process_threads", "Threads.") { await one { Double($0.threads) } },
            gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970.") {
                await one { Double($0.started) / 1_000 }
            },
        ]
    }
}
