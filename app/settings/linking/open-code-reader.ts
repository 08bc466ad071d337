/** Reads the QR code in a frame; undefined when there is none. */
export type ReadCode = (frame: ImageData) => Promise<string | undefined>

interface Detector {
  detect(frame: ImageData): Promise<readonly { rawValue: string }[]>
}

interface DetectorMaker {
  new (options: { formats: string[] }): Detector
  getSupportedFormats(): Promise<string[]>
}

/** The browser's own reader where it has one, else ours, which is loaded then. */
export async function openCodeReader(): Promise<ReadCode> {
  return (await openOwnReader()) ?? (await loadReader())
}

async function openOwnReader(): Promise<ReadCode | undefined> {
  try {
    const Maker = Reflect.get(globalThis, 'BarcodeDetector') as DetectorMaker | undefined
    if (!(await Maker?.getSupportedFormats())?.includes('qr_code')) return undefined
    const detector = Maker && new Maker({ formats: ['qr_code'] })
    return detector && (async (frame) => (await detector.detect(frame))[0]?.rawValue)
  } catch {
    return undefined
  }
}

async function loadReader(): Promise<ReadCode> {
  const { decodeQR } = await import('qr/decode.js')
  return async (frame) => {
    try {
      return decodeQR(frame)
    } catch {
      return undefined
    }
  }
}
