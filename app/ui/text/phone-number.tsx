import styles from './phone-number.module.css'

/** Country codes of one and of two digits; all others have three. Source: ITU-T E.164, list of assigned codes. */
const shortCodes = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/
const groupLength = 3

/**
 * '+' and the digits, drawn in groups. The text itself has no gaps: it is copied, found and read as one number.
 * @param digits country code first
 */
export function PhoneNumber({ digits }: { digits: string }) {
  return (
    <bdi className={styles.number}>
      {groupDigits(digits).map((group, index) => (
        // A number's groups never change places.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <span key={index}>
          {index === 0 && '+'}
          {group}
        </span>
      ))}
    </bdi>
  )
}

/** The country code, then groups of three; the last one has two to four digits. */
export function groupDigits(digits: string): string[] {
  const code = shortCodes.exec(digits)?.[0] ?? digits.slice(0, 3)
  const groups = [code]
  let rest = digits.slice(code.length)
  while (rest.length > groupLength + 1) {
    groups.push(rest.slice(0, groupLength))
    rest = rest.slice(groupLength)
  }
  return rest === '' ? groups : [...groups, rest]
}
