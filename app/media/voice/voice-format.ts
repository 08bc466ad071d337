/** Best first: what most browsers play, and what the server takes for sound. */
const formats = [
  'audio/webm;codecs=opus',
  'audio/ogg;codecs=opus',
  'audio/mp4;codecs=mp4a.40.2',
  'audio/mp4',
] as const
/** What WhatsApp takes of these. */
const customerFormats: readonly string[] = ['audio/ogg;codecs=opus', 'audio/mp4;codecs=mp4a.40.2']

/**
 * In which format this browser can record for a chat; undefined where it can't.
 * @param canRecord says of a format whether this browser writes it
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
  // Only pages that came by HTTPS, or from this machine, have devices.
  if (typeof MediaRecorder === 'undefined' || !navigator.mediaDevices) return false
  return MediaRecorder.isTypeSupported(format)
}
