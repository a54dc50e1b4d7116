import WireStore

extension CorewireError {
    /// Converts a store failure for a subscriber.
    init(_ failure: StoreFailure) {
        let code: Code =
            switch failure.kind {
            case .readOnly, .broken, .lost, .busy, .away, .evicted, .rewound: .storeUnavailable
            case .closed: .stopped
            case .cancelled: .cancelled
            case .sealed: .sealed
            case .conflict, .full, .corrupt, .newer, .foreign, .refused, .other: .storeFailed
            }
        self.init(code, failure.reason, help: failure.help)
    }
}
