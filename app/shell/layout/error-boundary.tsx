import { Component, type ReactNode } from 'react'
import { FullScreenProblem } from '../../ui/layout/full-screen-problem.tsx'
import { productName } from '../../ui/product.ts'

interface ErrorBoundaryProps {
  /** The current location: navigating away resets the error. */
  place: string
  children: ReactNode
}

/** Replaces an empty page when rendering fails, as when a chunk cannot be loaded. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { fallenAt?: string }> {
  override state: { fallenAt?: string } = {}

  static getDerivedStateFromError() {
    return { fallenAt: '' }
  }

  static getDerivedStateFromProps({ place }: ErrorBoundaryProps, state: { fallenAt?: string }) {
    if (state.fallenAt === '') return { fallenAt: place }
    return state.fallenAt === undefined || state.fallenAt === place ? null : { fallenAt: undefined }
  }

  override render() {
    if (this.state.fallenAt === undefined) return this.props.children
    return (
      <FullScreenProblem
        title="Couldn't show this page"
        text={`Your chats are safe on this device. Load ${productName} again. If that doesn't help, check your connection.`}
        actionLabel="Load again"
        onAction={() => location.reload()}
      />
    )
  }
}
