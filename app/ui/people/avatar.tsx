import { type CSSProperties, useState } from 'react'
import { VisuallyHidden } from '../layout/visually-hidden.tsx'
import styles from './avatar.module.css'
import { pickAvatarColour } from './avatar-colour.ts'
import { usePicture } from './picture-source.ts'

interface AvatarProps {
  name: string
  /** The picture's address, if there is one. */
  picture?: string | undefined
  /** Width and height in rem. */
  size?: number
  isOnline?: boolean
}

/** A person's picture once it is here, else their first letter on their colour; a dot while they are online. */
export function Avatar({ name, picture, size = 3, isOnline = false }: AvatarProps) {
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
