import WireStore

extension CorewireError {
    /// What the store says to a watcher.
    init(_ failure: StoreFailure) {
        let code: Code =
            switch failure.kind {
            case .readOnly, .broken, .lost, .busy: .storeUnavailable
            case .closed: .stopped
            case .cancelled: .cancelled
            case .sealed: .sealed
            case .conflict, .full, .corrupt, .newer, .foreign, .refused, .other: .storeFailed
            }
        self.init(code, failure.reason, help: failure.help)
    }
}
