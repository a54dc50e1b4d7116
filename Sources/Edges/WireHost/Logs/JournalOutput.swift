import WireTelemetry

/// Writes log records to the journal's socket, or to standard error while the socket accepts none.
final class JournalOutput: LogOutput {
    private let socket: DatagramSocket
    private let form: JournalLogForm
    private let stream: StreamOutput

    init(_ socket: consuming DatagramSocket, _ form: JournalLogForm, otherwise stream: StreamOutput) {
        self.socket = socket
        self.form = form
        self.stream = stream
    }

    func write(_ records: [TimedRecord]) -> Int {
        records.reduce(0) { lost, timed in
            do throws(HostError) {
                try socket.send(form.bytes(of: timed.record, at: timed.time))
                return lost
            } catch {
                return lost + stream.write([timed])
            }
        }
    }
}
