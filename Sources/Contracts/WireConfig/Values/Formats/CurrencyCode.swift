import WireBase

/// A currency code of three letters: `EUR` (ISO 4217).
package struct CurrencyCode: Sendable, Hashable {
    /// The three letters.
    package let text: String
}

extension CurrencyCode: TextValue {
    package static var textForm: TextForm {
        TextForm("a currency such as EUR", example: "EUR", pattern: "^[A-Z]{3}$")
    }

    package init(parsing text: String) throws(Misread) {
        guard Self.known.contains(text.uppercased()) else {
            let nearest = Nearest.names(to: text.uppercased(), among: Self.known.sorted())
            throw Misread(
                help: (1...4).contains(nearest.count)
                    ? "did you mean \(nearest.listed())?" : "three letters of ISO 4217: EUR, USD, GBP, JPY …",
                fix: nearest.count == 1 ? nearest.first : nil
            )
        }
        guard text == text.uppercased() else {
            throw Misread(help: "write \(text.uppercased())", fix: text.uppercased())
        }
        self.init(text: text)
    }

    /// The currencies in use.
    private static let known = Set(
        """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP \
        CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR \
        ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT \
        MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD \
        SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND \
        VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
        """.split(separator: " ").map(String.init)
    )

    /// The three letters.
    package var description: String { text }
}
