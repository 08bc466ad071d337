/** Best first: the formats that most browsers play and that the server accepts as audio. */
const formats = [
  'audio/webm;codecs=opus',
  'audio/ogg;codecs=opus',
  'audio/mp4;codecs=mp4a.40.2',
  'audio/mp4',
] as const
/** The formats of these that WhatsApp takes. */
const customerFormats: readonly string[] = ['audio/ogg;codecs=opus', 'audio/mp4;codecs=mp4a.40.2']

/**
 * The format in which this browser can record for a chat; undefined if there is none.
 * @param canRecord can this browser record in the format?
 */
export function findVoiceFormat({
  isForCustomer,
  canRecord = canRecordHere,
}: {
  isForCustomer: boolean
  canRecord?: (format: string) => boolean
}): string | undefined {
  return formats.find(
    (format) => canRecord(format) && (!isForCustomer || customerFormats.includes(format)),
  )
}

function canRecordHere(format: string): boolean {
  // Only pages loaded by HTTPS or from localhost have access to devices.
  if (typeof MediaRecorder === 'undefined' || !navigator.mediaDevices) return false
  return MediaRecorder.isTypeSupported(format)
}
