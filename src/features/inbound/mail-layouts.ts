/**
 * Layouts used by mail programs in common languages: introductions to quoted e-mails, and signatures. Each
 * alternative and each lookahead has at most one unbounded `.`, because backtracking over several takes polynomial time.
 */

/** Lines that introduce a quoted e-mail, such as "On 21 Nov 2026, Acme wrote:"; they also contain a digit. */
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
  // Any language: a year, a time and an address.
  /^(?=.*\b20\d\d\b.{0,60}\d[:.]\d\d).*<[^<>\s@]+@[^<>\s]+>\s*:$/,
];

/** The header names above a quoted e-mail; a header block has a sender, a subject and one more header. */
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

const DEVICE =
  "(my |mobile|iPhone|iPad|Mail\\b|Outlook|Yahoo|Proton|Gmail|Samsung|Galaxy|Huawei|Android|BlackBerry|Windows)";

/** Footers added by phones and programs, possibly followed by a URL. */
export const FOOTERS: readonly RegExp[] = [
  new RegExp(`^Sent (from|via|with) (the )?${DEVICE}`, "i"),
  /^(Get|Download) Outlook for (iOS|Android|Mac|Windows)/i,
  /^(Von meinem .{2,40} gesendet|Gesendet (von|mit|aus) .{2,60}|Diese Nachricht wurde von meinem .{2,60} gesendet\b.*|(Laden Sie )?Outlook für (iOS|Android)\b.*)\.?$/i,
  /^(Envoyé (de|depuis|à partir de) .{2,60}|(Obtenir|Obtenez|Télécharger) Outlook pour\b.*)$/i,
  /^(Enviado (desde|de|do|a partir d[oe]) .{2,60}|(Obtener|Obtén|Obter o|Descargar) Outlook para\b.*)$/i,
  /^(Inviato (da|dal|con) .{2,60}|(Ottieni|Scarica) Outlook per\b.*)$/i,
  /^((Verstuurd|Verzonden) (vanaf|met|via|vanuit) .{2,60}|Outlook voor (iOS|Android)\b.*)$/i,
  /^((Skickat från|Sendt fra|Hämta Outlook för|Hent Outlook til|Skaff (deg )?Outlook for|Hanki Outlook) .{2,60})$/i,
  /^(Lähetetty .{2,60}|Wysłan[eo] z .{2,60}|Pobierz .{0,20}Outlook .{2,60}|Odesláno z .{2,60})$/i,
  /^(Отправлено (с|из) .{2,60}|Надіслано (з|із) .{2,60}|(Скачать|Получить) Outlook .{2,60})$/i,
  /^(.{2,40} gönderildi|.{2,40} küldve|Trimis de pe .{2,60})\.?$/i,
  /^(.{2,40}から送信|发自我的.{2,40}|從我的.{2,40}傳送|나의 .{2,40}에서 보냄)$/,
];
