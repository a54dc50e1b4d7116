import WireTelemetry

/// Writes log records to an open file, several in one call.
final class StreamOutput: LogOutput {
    private let descriptor: Descriptor
    private let form: any LogForm

    init(_ descriptor: consuming Descriptor, _ form: any LogForm) {
        self.descriptor = descriptor
        self.form = form
    }

    func write(_ records: [TimedRecord]) -> Int {
        var lost = 0
        var bytes: [UInt8] = []
        var count = 0
        for (index, timed) in records.enumerated() {
            bytes += form.bytes(of: timed.record, at: timed.time)
            count += 1
            guard bytes.count >= 65_536 || index == records.count - 1 else { continue }
            if !descriptor.write(bytes) { lost += count }
            (bytes, count) = ([], 0)
        }
        return lost
    }
}
