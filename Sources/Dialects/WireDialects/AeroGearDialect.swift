import WireBase
package import WireConfig

extension Dialect {
    /// AeroGear's `mobile-services.json`: a list of services, each with a type, as the SDKs and the sample apps write
    /// it.
    ///
    /// Sections of the catalogue, and other keys of corewire's own layout, may also be at the top; they override the
    /// services, so that such a file can have environments. Everything else is kept.
    package static func aeroGear(in catalogue: Catalogue) -> Dialect {
        Dialect(
            "aerogear",
            recognizes: { document, root in document.value("services", of: root) != nil },
            translate: { document, root, problems in
                let keys = FileForm(catalogue).ownKeys.map(\.name) + catalogue.sections.map { $0.name }
                // The document is moved, not copied, since it may be large.
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
    /// Returns AeroGear's name of a setting.
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
