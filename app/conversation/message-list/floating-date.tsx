import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import styles from './floating-date.module.css'

export interface FloatingDateHandle {
  /** Shows a day until the list has been still for a moment; undefined hides it. */
  show(label: string | undefined): void
}

const stillMs = 1_200

/**
 * The day of the topmost message while the person scrolls. Hidden from screen readers: the date
 * headers say the same.
 */
export function FloatingDate({ ref }: { ref: Ref<FloatingDateHandle> }) {
  const [shown, setShown] = useState({ label: '', isShown: false })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const hide = () => setShown((now) => (now.isShown ? { ...now, isShown: false } : now))
  useImperativeHandle(ref, () => ({
    show(label) {
      clearTimeout(timer.current)
      if (label === undefined) return hide()
      timer.current = setTimeout(hide, stillMs)
      setShown((now) => (now.isShown && now.label === label ? now : { label, isShown: true }))
    },
  }))
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <div
      className={joinClassNames(styles.place, shown.isShown && styles.isShown)}
      aria-hidden="true"
      data-floating-date
    >
      {shown.label && <span>{shown.label}</span>}
    </div>
  )
}
