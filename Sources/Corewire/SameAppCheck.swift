import WireBase
import WireConfig
import WireRuntime

/// Rejects a candidate with another app or group, because lock, socket and store depend on these names.
struct SameAppCheck: CandidateCheck {
    func rejection(to candidate: Candidate, after present: Candidate) -> CandidateRejection? {
        for (path, value) in [("app.id", \Candidate.appID), ("app.group", \Candidate.group)] {
            let (old, new) = (present[keyPath: value], candidate[keyPath: value])
            guard old != new else { continue }
            let place = candidate.settings.first { $0.path == path || $0.path == "app" }.map { ", at \($0.place)" }
            return CandidateRejection(
                reason: "\(path) was \(old.quoted) when the runner started and is \(new.quoted) now\(place ?? ""): "
                    + "stop the runner and start it with the new file"
            )
        }
        return nil
    }
}

extension Candidate {
    fileprivate var appID: String { app?.id.text ?? "app" }
    fileprivate var group: String { app?.group?.text ?? appID }
}
