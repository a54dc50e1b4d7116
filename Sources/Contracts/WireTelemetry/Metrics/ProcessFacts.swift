/// What the operating system knows about the process, as the host reads it.
package struct ProcessFacts: Sendable, Equatable {
    package var residentBytes: Int
    package var virtualBytes: Int
    /// Time spent by all threads, in the program and for it in the kernel.
    package var cpu: Duration
    package var openDescriptors: Int
    /// How many descriptors there may be; nil without a limit.
    package var maximalDescriptors: Int?
    package var threads: Int
    /// When it began, in milliseconds since 1970.
    package var started: Int64

    package init(
        residentBytes: Int,
        virtualBytes: Int,
        cpu: Duration,
        openDescriptors: Int,
        maximalDescriptors: Int?,
        threads: Int,
        started: Int64
    ) {
        self.residentBytes = residentBytes
        self.virtualBytes = virtualBytes
        self.cpu = cpu
        self.openDescriptors = openDescriptors
        self.maximalDescriptors = maximalDescriptors
        self.threads = threads
        self.started = started
    }
}
