/// Facts of the operating system about the process.
package struct ProcessFacts: Sendable, Equatable {
    package var residentBytes: Int
    package var virtualBytes: Int
    /// CPU time of all threads, user and system.
    package var cpu: Duration
    package var openDescriptors: Int
    /// The maximum number of descriptors; nil without a limit.
    package var maximalDescriptors: Int?
    package var threads: Int
    /// The start time in milliseconds since 1970.
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
