import { encodeQR } from 'qr'
import styles from './qr-code.module.css'

interface QrCodeProps {
  text: string
  /** A description of the code for people who cannot see it. */
  label: string
}

/** A QR code of `text`, drawn as one path. */
export function QrCode({ text, label }: QrCodeProps) {
  // The writer insists on an edge; the page has its own.
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 1 })
  const size = rows.length - 2
  return (
    <svg className={styles.code} viewBox={`1 1 ${size} ${size}`} role="img" aria-label={label}>
      <path d={drawModules(rows)} fill="#0d1e21" shapeRendering="crispEdges" />
    </svg>
  )
}

function drawModules(rows: boolean[][]): string {
  const squares = rows.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')),
  )
  return squares.join('')
}
