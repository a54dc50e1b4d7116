import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

extension CallFailure {
    /// What a failure of the transfer means to whoever asked, with the value of the file it comes from.
    init(_ failure: TransferFailure, _ passage: Passage, _ host: NetworkHost) {
        let settings = passage.settings
        var (kind, help, origin): (Kind, String?, ValueOrigin?) = (.transfer(failure.kind), nil, passage.call.place)
        switch failure.kind {
        case .cancelled: kind = .cancelled
        case .forbidden:
            kind = .forbidden
            if passage.url.isReadableOnTheWay {
                help = "give it https, or name the host in 'network.plainHosts'"
                origin = host.places.origin(of: settings.$plainHosts, "network.plainHosts")
            }
        case .pin:
            if let index = settings.pins.firstIndex(where: { $0.host.covers(passage.url.host) }) {
                origin = host.places.origin(of: settings.pins[index].$sha256, "network.pins[\(index)].sha256")
                help = "where its key has been changed, add the new one's pin; 'corewire pin' reads it"
            }
        case .timeout:
            let isDeclared = settings.$timeout.isWritten && passage.call.timeout == nil
            if isDeclared { origin = host.places.origin(of: settings.$timeout, "network.timeout") }
        case .invalidURL, .invalidRequest, .unresolved, .unreachable, .tls, .protocolError, .tooManyRedirects,
            .interrupted, .exhausted:
            break
        }
        self.init(kind, failure.reason, help: help, wasNotSent: failure.wasNotSent, origin: origin)
    }

    static func late(_ passage: Passage) -> CallFailure {
        CallFailure(
            .timeout,
            "there was no answer from \(passage.url.server) before the request's time was over",
            wasNotSent: true,
            origin: passage.call.place
        )
    }

    static func offline(_ passage: Passage, _ lookout: Lookout) -> CallFailure {
        CallFailure(
            .offline,
            "\(passage.url.server) cannot be reached: \(lookout.linkObstacle ?? "there is no network")",
            wasNotSent: true,
            retryAfter: .seconds(5),
            origin: passage.call.place
        )
    }
}
