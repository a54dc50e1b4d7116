import WireDownloadContract

/// A download as callers see it: its state and its rate.
extension Download {
    init(_ entry: DownloadScheduler.Entry, folder: String?, at time: Duration, otherwise reason: String?) {
        let record = entry.record
        let state: State =
            switch record.state {
            case .wanted: entry.running != nil ? .running : .waiting
            case .paused: .paused
            case .done: .done
            case .failed: .failed
            }
        self.init(record.id, record.address, state, service: record.service, created: record.created)
        (priority, received, size) = (record.priority, entry.received, record.size)
        let pace = state == .running ? entry.pace.rate(entry.received, at: time) : nil
        rate = pace.map { Int($0) }
        remaining = pace.flatMap { pace in
            record.size.flatMap { size in
                pace >= 1 ? Int((Double(max(0, size - entry.received)) / pace).rounded(.up)) : nil
            }
        }
        if state == .done, let folder { path = record.file.map { "\(folder)/\($0)" } }
        let hold = entry.hold.flatMap { $0.until > time ? $0 : nil }
        self.reason = record.reason ?? (state == .waiting ? hold?.reason ?? reason : nil)
        (sha256, help, ended) = (record.sha256, record.help, record.ended)
    }

    /// The position in lists: running downloads first, ended ones last.
    var order: Int {
        switch state {
        case .running: 0
        case .waiting: 1
        case .paused: 2
        case .failed: 3
        case .done, .cancelled: 4
        }
    }
}
