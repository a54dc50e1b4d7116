import WireConfig

/// How stored responses are used.
package enum OfflinePolicy: String, Choice {
    case none, loadAndStoreLocalData, returnLocalDataDontLoad

    package var help: String {
        switch self {
        case .none: "nothing is stored; requests need the server"
        case .loadAndStoreLocalData:
            "the server, and the last stored response where it cannot be reached"
        case .returnLocalDataDontLoad: "stored responses only; no request leaves this machine"
        }
    }
}
