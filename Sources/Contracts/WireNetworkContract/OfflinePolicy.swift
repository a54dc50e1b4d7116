import WireConfig

/// What stored data are for.
package enum OfflinePolicy: String, Choice {
    case none, loadAndStoreLocalData, returnLocalDataDontLoad

    package var help: String {
        switch self {
        case .none: "nothing is stored; requests need the server"
        case .loadAndStoreLocalData:
            "the server is asked first; what it answered last is given when it cannot be reached"
        case .returnLocalDataDontLoad: "only what is stored is given; nothing leaves this machine"
        }
    }
}
