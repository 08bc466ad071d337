import { encode } from 'uqr'
import styles from './qr-code.module.css'

interface QrCodeProps {
  text: string
  /** A description of the code for people who cannot see it. */
  label: string
}

/** A QR code of `text`, drawn as one path. */
export function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { ecc: 'M', border: 0 })
  return (
    <svg className={styles.code} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={drawModules(data)} fill="#0d1e21" shapeRendering="crispEdges" />
    </svg>
  )
}

function drawModules(rows: boolean[][]): string {
  const squares = rows.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')),
  )
  return squares.join('')
}
