import { type CSSProperties, useState } from 'react'
import { Icon } from '../icons/icon.tsx'
import { VisuallyHidden } from '../layout/page.tsx'
import styles from './avatar.module.css'
import { usePicture } from './picture-source.ts'

/** Seventeen colours that give white text a contrast of at least 4.5. */
const palette = [
  '#b3402f',
  '#a84b0c',
  '#8a5a00',
  '#66680a',
  '#3f7215',
  '#1d7740',
  '#0b7766',
  '#0a7285',
  '#1c6ba8',
  '#3f5fc0',
  '#5a53c4',
  '#7449bd',
  '#8f3fae',
  '#a83590',
  '#b5336c',
  '#6d5f58',
  '#556470',
] as const

interface AvatarProps {
  name: string
  /** The picture's address, if there is one. */
  picture?: string | undefined
  /** Width and height in rem. */
  size?: number
  isOnline?: boolean
  /** Is it a group's? Then people stand for a letter. */
  isGroup?: boolean | undefined
}

/** A person's or a group's picture once it is here, else a sign on their colour; a dot while a person is online. */
export function Avatar(props: AvatarProps) {
  const { name, picture, size = 3, isOnline = false, isGroup = false } = props
  const shown = usePicture(picture)
  const [broken, setBroken] = useState<string>()
  return (
    <div className={styles.avatar} style={{ '--avatar-size': `${size}rem` } as CSSProperties}>
      <div
        className={styles.face}
        style={{ background: pickAvatarColour(name) }}
        aria-hidden="true"
      >
        {shown && shown !== broken ? (
          <img
            className={styles.picture}
            src={shown}
            alt=""
            draggable={false}
            onError={() => setBroken(shown)}
          />
        ) : isGroup ? (
          <Icon name="users" />
        ) : (
          firstLetter(name)
        )}
      </div>
      {isOnline && (
        <span className={styles.dot}>
          <VisuallyHidden>online</VisuallyHidden>
        </span>
      )}
    </div>
  )
}

function firstLetter(name: string): string {
  return [...name.trim()][0] ?? '?'
}

/**
 * A colour for a name: the sum of its characters picks from the palette. Source: decision 61,
 * section 9.
 */
export function pickAvatarColour(name: string): string {
  let sum = 0
  for (const character of name) sum += character.codePointAt(0) ?? 0
  return palette[sum % palette.length] ?? palette[0]
}
