import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { describeCameraProblem, readFromCamera } from './camera.ts'
import styles from './linking.module.css'
import { readDeviceCode } from './read-device-code.ts'

const noCode = 'This isn’t a sign-in code. Open Petrel on the other device and scan the code there.'

interface CodeScannerProps {
  /** Called with the id in a code. */
  onCode(id: string): void
  onCancel(): void
}

/** Reads the code of a new device by the camera, or from a pasted link. */
export function CodeScanner({ onCode, onCancel }: CodeScannerProps) {
  const video = useRef<HTMLVideoElement>(null)
  const [camera, setCamera] = useState<{ problem?: string; isStarted: boolean }>({
    isStarted: false,
  })
  const [problem, setProblem] = useState<string>()
  const [link, setLink] = useState('')
  const take = useLatest((text: string) => {
    const id = readDeviceCode(text)
    if (id) onCode(id)
    else setProblem(noCode)
  })
  useEffect(() => {
    const element = video.current
    if (!element) return
    const stop = new AbortController()
    const { signal } = stop
    readFromCamera({
      video: element,
      signal,
      onStarted: () => setCamera({ isStarted: true }),
      onText: (text) => take.current(text),
    }).catch((cause: unknown) => {
      if (!signal.aborted) setCamera({ isStarted: false, problem: describeCameraProblem(cause) })
    })
    return () => stop.abort()
  }, [take])

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    take.current(link)
  }

  return (
    <section className={styles.scanner} aria-label="Link device">
      <div className={styles.picture} hidden={camera.problem !== undefined}>
        {/* The camera's picture has no sound. */}
        <video ref={video} muted playsInline aria-label="Camera" />
        <span className={styles.frame} />
        {!camera.isStarted && <p className={styles.starting}>Starting the camera…</p>}
      </div>
      <p className={styles.hint} role="status">
        {camera.problem ?? 'Point the camera at the code on the other device’s sign-in screen.'}
      </p>
      <form className={styles.paste} onSubmit={onSubmit}>
        <label>
          Link from the other device
          <input
            value={link}
            placeholder="https://…/link#…"
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setLink(event.target.value)
              setProblem(undefined)
            }}
          />
        </label>
        <p className={styles.problem} role="alert">
          {problem}
        </p>
        <div className={styles.buttons}>
          <Button look="quiet" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" disabled={link.trim() === ''}>
            Continue
          </Button>
        </div>
      </form>
    </section>
  )
}
