import WireBase
import WireConfig
import WireCrypto
import WirePersistence
import WireService
import WireStore

/// The keys of the store: those of the file, or the one beside the store.
struct StoreKeys {
    let present: SealingKey
    let former: [SealingKey]

    init(_ configuration: Configuration, folder: String) throws(StoreFailure) {
        let section = configuration[PersistenceSection.self]
        if let key = section?.key {
            present = try Self.key(key, "key")
        } else {
            present = try KeyFile.key(in: folder)
        }
        let previous = try section?.previousKey.map { (key) throws(StoreFailure) in try Self.key(key, "previousKey") }
        former = previous.map { [$0] } ?? []
    }

    static func key(_ text: Secret<String>, _ name: String) throws(StoreFailure) -> SealingKey {
        guard let bytes = Base64.bytes(of: text.reveal()), bytes.count == SealingKey.size else {
            throw StoreFailure(
                .sealed,
                "persistence.\(name) is not 32 bytes in base64",
                help: "openssl rand -base64 32"
            )
        }
        return try SealingKey(Secret(bytes))
    }
}

extension Configuration {
    /// The store settings of the file.
    var openStore: OpenStore {
        self[PersistenceSection.self].map { OpenStore($0) } ?? OpenStore(directory: nil, key: nil, previousKey: nil)
    }

    /// The folder of the store.
    func storeFolder(otherwise folder: String) -> String {
        self[PersistenceSection.self]?.directory.map { $0.path } ?? folder
    }
}
