import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

extension CallFailure {
    /// The failure of a transfer for the caller, with the setting it comes from.
    init(_ failure: TransferFailure, _ pipelineRequest: PipelineRequest, _ host: NetworkHost) {
        let settings = pipelineRequest.settings
        var (kind, help, origin): (Kind, String?, ValueOrigin?) = (
            .transfer(failure.kind), nil, pipelineRequest.call.place
        )
        switch failure.kind {
        case .cancelled: kind = .cancelled
        case .forbidden:
            kind = .forbidden
            if pipelineRequest.url.isReadableOnTheWay {
                help = "use https, or add the host to 'network.plainHosts'"
                origin = host.places.origin(of: settings.$plainHosts, "network.plainHosts")
            }
        case .pin:
            if let index = settings.pins.firstIndex(where: { $0.host.covers(pipelineRequest.url.host) }) {
                origin = host.places.origin(of: settings.pins[index].$sha256, "network.pins[\(index)].sha256")
                help = "if the host has a new key, add its pin: run 'corewire pin'"
            }
        case .timeout:
            let isDeclared = settings.$timeout.isWritten && pipelineRequest.call.timeout == nil
            if isDeclared { origin = host.places.origin(of: settings.$timeout, "network.timeout") }
        case .invalidURL, .invalidRequest, .unresolved, .unreachable, .tls, .protocolError, .tooManyRedirects,
            .interrupted, .exhausted:
            break
        }
        self.init(kind, failure.reason, help: help, wasNotSent: failure.wasNotSent, origin: origin)
    }

    static func late(_ pipelineRequest: PipelineRequest) -> CallFailure {
        CallFailure(
            .timeout,
            "\(pipelineRequest.url.server) did not respond within the timeout of the request",
            wasNotSent: true,
            origin: pipelineRequest.call.place
        )
    }

    static func offline(_ pipelineRequest: PipelineRequest, _ reachability: ReachabilityMonitor) -> CallFailure {
        CallFailure(
            .offline,
            "\(pipelineRequest.url.server) cannot be reached: \(reachability.linkObstacle ?? "there is no network")",
            wasNotSent: true,
            retryAfter: .seconds(5),
            origin: pipelineRequest.call.place
        )
    }
}
