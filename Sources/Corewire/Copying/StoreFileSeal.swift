import WireBase
import WireConfig
import WireStore

/// The last line of an exported store.
struct StoreFileSeal {
    private static let place = "export"
    let json: JSONValue

    init(of sum: [UInt8], by sealer: any Sealer) throws(Fault) {
        do throws(StoreFailure) {
            let seal = try sealer.seal(sum, for: Self.place)
            json = .members(["end": .members(["seal": .string(Base64.text(of: seal))])])
        } catch {
            throw Fault(error.reason, help: error.help)
        }
    }

    /// Throws where the lines before have another digest.
    static func check(_ line: StoreFileLine, of sum: [UInt8], by sealer: any Sealer) throws(Fault) {
        guard let seal = try line.inner("end")?.bytes("seal") else { throw line.unexpected }
        let found: [UInt8]
        do throws(StoreFailure) { found = try sealer.open(seal, for: place) } catch {
            guard error.kind == .corrupt else { throw Fault(error.reason, help: error.help) }
            throw changed
        }
        guard found == sum else { throw changed }
    }

    static let changed = Fault("it was changed after the export", help: "use an unchanged copy of the file")
}
