import WireBase
import WireConfig
import WireHTTP
import WireService

/// A download as it is told: how it is, and how fast it comes.
struct DownloadView: Sendable {
    let record: DownloadRecord
    private(set) var state: Download.State
    let path: String?
    let received: Int
    /// Bytes a second; nil where it does not run, or that cannot be told yet.
    let rate: Int?
    let remaining: Int?
    private(set) var reason: String?

    init(_ entry: DownloadLedger.Entry, folder: String?, at time: Duration, otherwise reason: String?) {
        record = entry.record
        received = entry.received
        state =
            switch entry.record.state {
            case .wanted: entry.running != nil ? .running : .waiting
            case .paused: .paused
            case .done: .done
            case .failed: .failed
            }
        path = folder.flatMap { folder in entry.record.file.map { "\(folder)/\($0)" } }
        let pace = state == .running ? entry.pace.rate(entry.received, at: time) : nil
        rate = pace.map { Int($0) }
        remaining = pace.flatMap { pace in
            entry.record.size.flatMap { size in
                pace >= 1 ? Int((Double(max(0, size - entry.received)) / pace).rounded(.up)) : nil
            }
        }
        let hold = entry.hold.flatMap { $0.until > time ? $0 : nil }
        self.reason = entry.record.reason ?? (state == .waiting ? hold?.reason ?? reason : nil)
    }

    /// The same, given up.
    var cancelled: DownloadView {
        var view = self
        (view.state, view.reason) = (.cancelled, "it was cancelled")
        return view
    }

    var download: Download {
        var download = Download(
            id: record.id,
            address: record.address,
            state: state,
            path: path,
            received: .bytes(received),
            size: record.size.map(ByteCount.bytes),
            reason: reason
        )
        (download.rate, download.remaining) = (rate, remaining.map { .seconds($0) })
        return download
    }

    /// The address without its query, which may hold what nobody else is to see.
    var shownAddress: String {
        let address = record.address
        guard let mark = address.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return address }
        return address[..<mark] + "?…"
    }
}

extension DownloadView: JSONObject {
    static let shape = JSONShape<Self>(
        "Download",
        "A file that is wanted, or was.",
        [
            .member("id", "The same wish is known by it.") { $0.record.id },
            .member("address", "Where it comes from, without the query.") { $0.shownAddress },
            .member("state", "How it is.", as: .words(Download.State.allCases.map(\.rawValue))) { $0.state.rawValue },
            .member("service", "Who wants it; 'app' for programs.") { $0.record.service },
            .member("priority", "Those with more go first.") { $0.record.priority },
            .member("received", "How many bytes are here.", as: .count()) { $0.received },
            .member("size", "How many it has, once the server has told.", as: .count()) { $0.record.size },
            .member("rate", "How many bytes come in a second.", as: .count()) { $0.rate },
            .member("remaining", "How many seconds it takes at that rate.", as: .count()) { $0.remaining },
            .member("path", "Where the file is, once it is whole.") { $0.state == .done ? $0.path : nil },
            .member("sha256", "What it has to come to, where that was said.") { $0.record.sha256 },
            .member("reason", "Why it failed, or what it waits for.") { $0.reason },
            .member("help", "What can be done about it.") { $0.record.help },
            .member("created", "When it was first wanted.", as: .moment) { $0.record.created },
            .member("ended", "When it was done or failed.", as: .moment) { $0.record.ended },
        ]
    )
}
