import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../buttons/button.tsx'
import styles from './dialog-form.module.css'

interface DialogFormProps {
  onSubmit(): void
  /** On the button that submits. */
  action: string
  /** On the button that leaves the form. */
  leave?: string
  onLeave(): void
  problem?: string | undefined
  /** What may help, beneath the problem. */
  remedy?: ReactNode
  isBusy?: boolean
  /** For what cannot be undone. */
  isDanger?: boolean
  children: ReactNode
}

/** A dialog's form: its fields, what is wrong, and two buttons. */
export function DialogForm(props: DialogFormProps) {
  const { action, leave = 'Cancel', onLeave, problem, remedy, children } = props
  const { isBusy = false, isDanger = false } = props
  function submit(event: FormEvent) {
    event.preventDefault()
    props.onSubmit()
  }
  return (
    <form className={styles.form} noValidate onSubmit={submit}>
      {children}
      {problem && <DialogProblem>{problem}</DialogProblem>}
      {remedy}
      <DialogFoot>
        <Button look="quiet" onClick={onLeave}>
          {leave}
        </Button>
        <Button type="submit" look={isDanger ? 'danger' : 'primary'} isBusy={isBusy}>
          {action}
        </Button>
      </DialogFoot>
    </form>
  )
}

/** A field of a `DialogForm`, beneath its label. */
export function DialogField({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
    <label className={styles.label}>
      {label}
      {children}
    </label>
  )
}

/** What a field expects. The field names its id in `aria-describedby`. */
export function DialogHint({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className={styles.hint}>
      {children}
    </p>
  )
}

/** What went wrong, in words, read out when it appears, and in sight in a dialog that scrolls. */
export function DialogProblem({ children }: { children: ReactNode }) {
  const problem = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (children) problem.current?.scrollIntoView({ block: 'nearest' })
  }, [children])
  return (
    <p className={styles.problem} role="alert" ref={problem}>
      {children}
    </p>
  )
}

/** A dialog's buttons, which stay in sight while what is above them scrolls. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className={styles.foot}>{children}</div>
}
