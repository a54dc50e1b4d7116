import WireBase
package import WireConfig

/// A service of AeroGear's `mobile-services.json`.
package struct MobileService: Sendable {
    /// The id; the sample app's files have none.
    package let id: String?
    /// The name, if any.
    package let name: String?
    /// The type as in the file.
    package let type: String
    /// The address as in the file.
    package let url: String

    let role: AeroGearRole?
    private let document: Document
    private let service: AeroGearService

    init(_ service: AeroGearService, of document: Document) {
        func text(_ key: String) -> String? { document.said(key, of: service.node).map(document.text) }
        id = text("id")
        name = text("name")
        type = service.type
        url = text("url") ?? ""
        role = service.role
        self.document = document
        self.service = service
    }

    /// Returns a value of `config` at a path of keys; nil for none.
    ///
    /// The value is returned as it is, including secrets, which the caller must protect.
    package func config(_ path: String...) -> FreeValue? {
        document.node(at: ["config"] + path, from: service.node).map { FreeValue($0, of: document) }
    }

    // MARK: Shared with sections

    func text(_ role: AeroGearRole, _ key: String) throws(MobileServicesError) -> String {
        let slot = role.slots(platform: document.pushPlatform(of: service.node)).first { $0.key == key }
        let places = slot?.sources ?? []
        guard let path = places.first(where: { document.said(at: $0, of: service.node) != nil }),
            let node = document.said(at: path, of: service.node)
        else {
            throw error(
                .noValue,
                "service \(type.quoted) has no \(places.first.map { $0.joined(separator: ".").quoted } ?? "")"
            )
        }
        let name = path.joined(separator: ".")
        guard document.kind(node).isScalar else {
            throw error(.badValue, "\(name): expected text, found \(document.found(node))", at: node)
        }
        let text = document.text(node)
        guard !text.contains("${") else {
            throw error(.reference, "\(name) is a reference, which only 'corewire run' resolves", at: node)
        }
        return text
    }

    func url(_ role: AeroGearRole, _ key: String) throws(MobileServicesError) -> WebURL {
        let text = try text(role, key)
        do throws(Misread) {
            guard let url = try AddressTerms.foreign.parse(text).absolute else { throw Misread() }
            return url
        } catch {
            throw self.error(
                .badValue,
                "the address of service \(type.quoted) is not \(error.expected ?? WebURL.textForm.noun)"
                    + (error.label.map { "; \($0)" } ?? "")
            )
        }
    }

    func error(_ code: MobileServicesError.Code, _ message: String, at node: NodeID? = nil) -> MobileServicesError {
        MobileServicesError(code: code, location: document.place(node ?? service.typeNode).location, message: message)
    }
}

extension MobileService: CustomReflectable {
    /// The members without `config`, which may have secrets, so that `dump` and debuggers do not show it.
    package var customMirror: Mirror {
        Mirror(self, children: ["id": id as Any, "name": name as Any, "type": type, "url": url])
    }
}
