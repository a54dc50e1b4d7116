import WireBase

extension Metrics {
    /// The metrics every program has, under the names that dashboards know; they last as long as the answer is kept.
    package func process(read: @escaping @Sendable () -> ProcessFacts?) -> [MetricReader] {
        @Sendable func one(_ pick: (ProcessFacts) -> Double?) -> [MetricReading] {
            read().flatMap(pick).map { [MetricReading($0)] } ?? []
        }
        return [
            counter("process_cpu_seconds", "Time spent by all threads, in the program and for it in the kernel.") {
                one { $0.cpu.inSeconds }
            },
            gauge("process_resident_memory_bytes", "Memory held in RAM.") { one { Double($0.residentBytes) } },
            gauge("process_virtual_memory_bytes", "Addresses in use.") { one { Double($0.virtualBytes) } },
            gauge("process_open_fds", "Open file descriptors.") { one { Double($0.openDescriptors) } },
            gauge("process_max_fds", "How many file descriptors may be open.") {
                one { $0.maximalDescriptors.map(Double.init) }
            },
            gauge("process_threads", "Threads.") { one { Double($0.threads) } },
            gauge("process_start_time_seconds", "When the process began, in seconds since 1970.") {
                one { Double($0.started) / 1_000 }
            },
        ]
    }
}
