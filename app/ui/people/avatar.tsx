import { type CSSProperties, useState } from 'react'
import { Icon } from '../icons/icon.tsx'
import { VisuallyHidden } from '../layout/page.tsx'
import styles from './avatar.module.css'
import { usePicture } from './picture-source.ts'

/**
 * Seventeen colours that give white text a contrast of at least 4.5, any two at least 0.095 apart in OKLab: hues alone are
 * too few, so each is light or dark besides.
 */
const palette = [
  '#c64878',
  '#962a18',
  '#cc4800',
  '#664e0c',
  '#8a7230',
  '#428406',
  '#0c6018',
  '#067e6c',
  '#005a6c',
  '#2a78a8',
  '#0054b4',
  '#4e6ce4',
  '#603ca2',
  '#8a66ae',
  '#9c3096',
  '#6c3660',
  '#726066',
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
