import WireBase
package import WireConfig

extension Dialect {
    /// AeroGear's `mobile-services.json`: services in a list, each with its type, as the SDKs and the sample apps write it.
    ///
    /// Any other key at the top is corewire's own and is laid over what the services say, so that such a file can have
    /// environments too.
    package static let aeroGear = Dialect(
        "aerogear",
        recognizes: { document, root in document.value("services", of: root) != nil },
        translate: { document, root, problems in
            // The document is handed over, not copied: it may be large.
            var translation = AeroGearTranslation(document)
            document = Document()
            let translated = translation.translated(root)
            document = translation.document
            problems.add(translation.problems)
            return translated
        }
    )
}
