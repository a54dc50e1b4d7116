import WireBase
package import WireConfig

extension Dialect {
    /// AeroGear's `mobile-services.json`: services in a list, each with its type, as the SDKs and the sample apps write it.
    ///
    /// Sections of the catalogue, and the other keys of corewire's own layout, may stand at the top too and are laid over
    /// what the services say, so that such a file can have environments. Anything else is kept.
    package static func aeroGear(in catalogue: Catalogue) -> Dialect {
        Dialect(
            "aerogear",
            recognizes: { document, root in document.value("services", of: root) != nil },
            translate: { document, root, problems in
                let keys = FileForm(catalogue).ownKeys.map(\.name) + catalogue.sections.map { $0.name }
                // The document is handed over, not copied: it may be large.
                var translation = AeroGearTranslation(document, modelKeys: Set(keys), catalogue)
                document = Document()
                let translated = translation.translated(root)
                document = translation.document
                problems.add(translation.problems)
                return translated
            },
            spelling: AeroGearRole.spelling,
            schema: AeroGearSchema.value
        )
    }
}

extension AeroGearRole {
    /// What AeroGear calls a setting of the model.
    static func spelling(of path: [String]) -> Dialect.Spelling? {
        guard let role = path.first.flatMap(AeroGearRole.init(rawValue:)),
            path.count == role.holder(named: "").count + 2,
            zip(path.dropFirst(), role.holder(named: "")).allSatisfy({ $1.isEmpty || $0 == $1 }),
            let source = role.slots().first(where: { $0.key == path.last })?.sources.first, let key = source.last
        else { return nil }
        let type = "service \(role.types[0].quoted)"
        if role == .push, source.count > 2 {
            let platforms = PushPlatform.allCases.compactMap(\.key).map { "config.\($0)" }
            return Dialect.Spelling(key, "in \(platforms.listed()) of the \(type)")
        }
        let holder = source.dropLast().joined(separator: ".")
        return Dialect.Spelling(key, holder.isEmpty ? "in the \(type)" : "in \(holder.quoted) of the \(type)")
    }
}
