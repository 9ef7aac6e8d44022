/**
 * Layouts in common languages: introductions to quoted e-mails, and signatures. Each alternative and each
 * lookahead has at most one unbounded `.`, because backtracking over several takes polynomial time.
 */

/** Lines such as "On 21 Nov 2026, Acme wrote:" above a quoted e-mail. A separate check requires a digit. */
export const ATTRIBUTIONS: readonly RegExp[] = [
  /^-*\s*On\b.+\bwrote\s*(:|-{2,})$/i,
  /^Am\b(?=.+\bschrieb\b).*:$/i,
  /^Le\b.+\ba écrit\s*:$/i,
  /^El\b.+\bescribió\s*:$/i,
  /^Il\b.+\bha scritto\s*:$/i,
  /^(Em|No dia|A)\b.+\bescreveu\s*:$/i,
  /^Op\b(?=.+\bschreef\b).*:$/i,
  /^(Den|På|[a-zåäöø]{3}\.?)\b(?=.+\bskrev\b).*:$/i,
  /^.+\bkirjoitti\s*:$/i,
  /^.+(napisał|napisała|napisał\(a\)|pisze|napsal|napsala|napsal\(a\))\s*:$/i,
  /^.+(написал|написала|написал\(а\)|пишет|пише|написав)\s*:$/i,
  /^.+(şunu yazdı|tarihinde yazdı|ezt írta|a scris)\s*:$/i,
  /^(?=.*20\d\d年).*(<[^<>@]+@[^<>]+>|写道|寫道|のメール)\s*[:：]$/,
  /^.+(님이 작성|작성)\s*:$/,
  // Matches an introduction in any language that contains a year, a time and an e-mail address.
  /^(?=.*\b20\d\d\b.{0,60}\d[:.]\d\d).*<[^<>\s@]+@[^<>\s]+>\s*:$/,
];

/** The headers above a quoted e-mail; a block has a sender, a subject and at least one other header. */
export const HEADER_NAMES = {
  sender:
    /^(from|von|de|da|van|från|fra|lähettäjä|od|nadawca|от|от кого|від|kimden|gönderen|feladó|de la|差出人|发件人|寄件者|寄件人|보낸 사람)\s*[:：]/i,
  subject:
    /^(subject|betreff|objet|asunto|oggetto|assunto|onderwerp|ämne|emne|aihe|temat|předmět|тема|konu|tárgy|subiect|件名|主题|主旨|主題|제목)\s*[:：]/i,
  other:
    /^(sent|date|to|cc|reply-to|gesendet|datum|an|envoyé|à|enviado|enviado el|fecha|para|inviato|data|a|verzonden|aan|skickat|till|sendt|til|dato|lähetetty|vastaanottaja|päivämäärä|wysłano|wysłane|do|odesláno|komu|отправлено|дата|кому|надіслано|gönderildi|tarih|kime|elküldve|címzett|dátum|trimis|către|送信日時|宛先|日付|发送时间|日期|收件人|抄送|寄件日期|收件者|보낸 날짜|날짜|받는 사람)\s*[:：]/i,
} as const;

const QUOTED_MESSAGE = [
  "Original Message",
  "Original-Nachricht",
  "Originalnachricht",
  "Ursprüngliche Nachricht",
  "Message d['’]origine",
  "Message original",
  "Mensaje original",
  "Messaggio originale",
  "Mensagem original",
  "Oorspronkelijk bericht",
  "Ursprungligt meddelande",
  "Originalmeddelande",
  "Oprindelig meddelelse",
  "Opprinnelig melding",
  "Alkuperäinen viesti",
  "(Wiadomość oryginalna|Oryginalna wiadomość)",
  "Původní zpráva",
  "(Исходное|Оригинальное|Пересылаемое) сообщение",
  "(Orijinal Mesaj|Özgün ileti)",
  "Eredeti üzenet",
  "Mesaj original",
  "(元のメッセージ|原始邮件|原始郵件|원본 메시지)",
  "Forwarded message",
  "Weitergeleitete Nachricht",
  "Message transféré",
  "Mensaje reenviado",
  "Messaggio inoltrato",
  "Mensagem encaminhada",
  "Doorgestuurd bericht",
];

/** Lines that end the author's text, because they start a quoted or forwarded e-mail, or the signature. */
export const SEPARATORS: readonly RegExp[] = [
  /^-- ?$/,
  /^_{32,}$/,
  /^-{4} (?=\D*\d[^@]*@).* -{4}$/,
  new RegExp(`^-{2,}\\s*(${QUOTED_MESSAGE.join("|")})\\s*-{2,}$`, "i"),
  /^(Begin forwarded message|Anfang der weitergeleiteten Nachricht|Début du message réexpédié|Inicio del mensaje reenviado|Inizio messaggio inoltrato)\s*:$/i,
];

/** Devices and programs that distinguish a footer from a sentence such as "Sent from Paris on Monday". */
const DEVICE = `(${[
  "mobi(l|el)|móvil|telemóvel|cel+ular|t[eé]l[eé](f|ph)|smartphone|handy\\b|puhelim|мобильн|мобільн|телефон|смартфон",
  "手机|手機|携帯|휴대|갤럭시|小米|红米|华为",
  "iPhon|iPad|Mac(Book)?\\b|Samsung|Galaxy|Huawei|Xiaomi|Redmi|Pixel|OnePlus|OPPO\\b|Motorola|Nokia|Xperia",
  "\\b(HTC|LG|Sony|Lenovo|ASUS)\\b|Android|BlackBerry|Windows",
  "Outlook|Yahoo|Proton|Gmail|GMX|WEB\\.DE|Thunderbird|K-9|\\bAOL\\b|Mail\\.ru|Яндекс",
  "Mail( for\\b| für\\b| Orange\\b|[ -]?app\\b|<http)|l['’]application|aplikacji|приложения",
  // These words are also common in sentences, so they match only at the end of a line.
  "(phone|computer|tablet(te|a)?|(surf|läs)platta|device|dispositivo|appareil|gerät|устройства|(?<!\\S)Mail)[ .!]*$",
].join("|")})`;

/** First words of footers, before words such as "my" and the device or program. */
const SENT_FROM = [
  "Gesendet (von|mit|aus)",
  "Envoyé (de|depuis|à partir)",
  "Enviado (desde|de|do|a partir)",
  "Inviato (da|dal|con)",
  "(Verstuurd|Verzonden) (vanaf|met|via|vanuit)",
  "(Skickat från|Sendt fra)",
  "(Wysłan[eo]|Odesláno) z",
  "Отправлено (с|из)",
  "Надіслано (з|із)",
  "Trimis de pe",
].join("|");

/** Footers added by phones and programs, possibly followed by a URL. */
export const FOOTERS: readonly RegExp[] = [
  new RegExp(`^Sent (from|via|with) (my (\\S+ ){0,3}|the (all new )?)?${DEVICE}`, "i"),
  new RegExp(`^(${SENT_FROM}) (\\S+ ){0,3}\\S{0,3}${DEVICE}.{0,80}$`, "i"),
  new RegExp(`^(Von|Diese Nachricht wurde von) meinem ${DEVICE}.{0,60} gesendet\\b.{0,60}$`, "i"),
  // In Finnish, for example, only the grammatical case distinguishes a footer from "The wrong phone was sent".
  new RegExp(`^Lähetetty .{0,40}${DEVICE}.{0,30}(st|ll)[aä](ni)?\\.?$`, "i"),
  new RegExp(`^.{0,40}${DEVICE}.{0,30}([dt][ae]n gönderildi|[óő]l küldve|から送信)\\.?$`, "i"),
  new RegExp(`^((发自|從)我的.{0,20}${DEVICE}.{0,20}|나의 .{0,20}${DEVICE}.{0,20}에서 보냄)$`, "i"),
  /^(Get|Download) Outlook for (iOS|Android|Mac|Windows)/i,
  /^((Laden Sie )?Outlook für|Outlook voor) (iOS|Android)\b/i,
  /^(Obtenir|Obtenez|Télécharger|Obtener|Obtén|Obter o|Descargar|Ottieni|Scarica) Outlook (pour|para|per)\b/i,
  /^(Hämta Outlook för|Hent Outlook til|Skaff (deg )?Outlook for|Hanki Outlook|Pobierz .{0,20}Outlook|(Скачать|Получить) Outlook) .{2,60}$/i,
];
